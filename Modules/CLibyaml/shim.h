#ifndef CURLEW_CLIBYAML_SHIM_H
#define CURLEW_CLIBYAML_SHIM_H

#include <yaml.h>

#endif
