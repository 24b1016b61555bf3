// No pkgConfig: its flags (-D_FILE_OFFSET_BITS) are refused by SwiftPM.
#include <hiredis/hiredis.h>
#include <hiredis/read.h>
