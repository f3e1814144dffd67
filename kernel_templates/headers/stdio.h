// SPDX-License-Identifier: MIT
// kgen's stand-in for <stdio.h>. printf needs no header. Device code cannot use the other functions.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#define EOF (-1)
