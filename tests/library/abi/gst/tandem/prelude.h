/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_PRELUDE_H
#define GST_TANDEM_PRELUDE_H

#include <gst/gst.h>

#ifndef GST_TANDEM_API
#ifdef BUILDING_GST_TANDEM
#define GST_TANDEM_API GST_API_EXPORT
#else
#define GST_TANDEM_API GST_API_IMPORT
#endif
#endif

#endif
