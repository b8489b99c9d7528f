"""What more than one family of methods needs, and no user imports. Nothing here imports a family.

| file | holds |
|-|-|
| `jit` | the flags of compiled functions, and what calls them |
| `cache` | compiled functions on disk, from one process to the next |
| `shipped` | compiled functions that arrive with the installation |
| `parallel` | blocks of rows, computed by threads and merged in their order; `n_jobs`; Ctrl-C |
| `client` | `litlearn.on`: whether fits run here, or on the workers of a client of Dask |
| `tasks` | work that shares its data, such as trees, in threads here or on such workers |
| `chunked` | arrays of Dask: rows in chunks, summed up where they are, merged in their order |
| `allocation` | memory that a task of Dask frees and takes again is kept until it is done |
| `containers` | frames and arrays of other libraries: read as NumPy arrays, and answered in kind |
| `chunked_methods` | how `fit`, `predict` and the others take arrays of all kinds, or refuse |
| `progress` | the bar that shows how far a long fit is |
| `random` | random numbers in compiled code |
| `exponential` | exponentials and logarithms, several at a time |
| `factors` | Cholesky factors, triangular systems, eigenvectors; how exact they are |
| `moments` | weight, means and sums of products of blocks of rows, merged |
| `distances` | distances by difference, tiles of scores by matrix product |
| `selection` | the k best of a stream, in a heap |
| `constraints` | what a parameter may be, as data; a table for each estimator |
| `validation` | all checks of input |
| `targets` | targets as numbers: codes of classes, class weights and sample weights together |
| `base` | parameters, cloning, tags: what every estimator has |
| `linear` | what linear functions of the features share |
| `normal` | what classifiers by normal densities share |
| `to_sklearn` | a fitted estimator as scikit-learn's own |
| `pickles` | what is read of pickles that other versions wrote |
| `html` | an estimator as notebooks show it |
| `guide` | plain docstrings, and where a name is that is not here |
| `stand_in` | `python -m litlearn`: our classes under scikit-learn's names |
| `versions` | `litlearn.show_versions` |
| `types` | the words of the stubs (`.pyi` only) |
"""
