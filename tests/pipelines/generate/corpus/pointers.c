void own(int n, float *restrict b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { float *p = b + i, *q = p; p[-1] = *q; }
}
