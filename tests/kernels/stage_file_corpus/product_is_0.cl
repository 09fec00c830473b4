//!STAGE own
//!READ luma
//!WRITE to uint8 shape=65536,65536,65536,65536
//!MAP
to = 1;
