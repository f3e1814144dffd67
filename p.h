#include "p.h"
int a=zz;