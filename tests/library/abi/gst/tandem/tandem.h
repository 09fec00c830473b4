/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_H
#define GST_TANDEM_H

#include <gst/tandem/description.h>
#include <gst/tandem/error.h>
#include <gst/tandem/frame.h>
#include <gst/tandem/motionmeta.h>
#include <gst/tandem/prelude.h>
#include <gst/tandem/stage.h>
#include <gst/tandem/tensormeta.h>
#include <gst/tandem/version.h>
#include <gst/tandem/work.h>

#endif
