"""`rustle batch` over Dask distributed: many files to a task, results that survive killed workers, Parquet tables."""
