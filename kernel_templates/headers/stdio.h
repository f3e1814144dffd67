// SPDX-License-Identifier: MIT
// kgen's stand-in for <stdio.h>: printf is there without it, the rest is not for device code.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#define EOF (-1)
