"""The folder of outputs is one data set for every reader."""

import shutil
import subprocess

import daft
import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from conftest import make

READERS = {
    "pandas": pd.read_parquet,
    "pyarrow.parquet": lambda folder: pq.read_table(folder).to_pandas(),
    "pyarrow.dataset": lambda folder: ds.dataset(folder, format="parquet").to_table().to_pandas(),
    "polars": lambda folder: pd.DataFrame(pl.read_parquet(folder).to_dict(as_series=False)),
    "daft": lambda folder: daft.read_parquet(folder).to_pandas(),
    "duckdb": lambda folder: duckdb.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet')").df(),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Outputs of 4 shards, and what a program that was killed leaves."""
    folder = make(tmp_path_factory.mktemp("readers"), "--tables=2", "--rows=60", "--group-rows=15")
    output = folder / "verdicts"
    command = ["falcon-cli", "-q", "verify-table", folder / "ledger", "--keys"]
    command += [folder / "keys.parquet", "-o", output]
    for shard in range(1, 5):
        subprocess.run([*command, f"--shard={shard}/4"], check=True)
    (folder / "verdicts.reports" / ".falcon-abc.tmp").write_bytes(b"PAR1")
    return output


@pytest.mark.parametrize("reader", READERS)
def test_the_folder_is_a_data_set(reader, verdicts):
    table = READERS[reader](str(verdicts))
    assert sorted(table["row"]) == sorted([*range(60), *range(60)])
    assert set(table["verdict"]) == {0}


@pytest.mark.parametrize("reader", [name for name in READERS if name != "duckdb"])
def test_reports_among_the_outputs_would_be_noticed(reader, verdicts, tmp_path):
    """The layout matters: with a report beside an output, the folder is no data set."""
    copy = tmp_path / "copy"
    shutil.copytree(verdicts, copy)
    (copy / "summary.json").write_text("{}")
    with pytest.raises(Exception):
        READERS[reader](str(copy))
