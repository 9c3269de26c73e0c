#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks JSON files against the schemas of configs/, and that the schemas refuse broken ones.

usage: schema_check.py SOURCE_DIR
"""
import copy
import json
import pathlib
import sys

import jsonschema


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def check_valid(schema, paths):
    assert paths, "no file to check: the folder layout has changed"
    validator = jsonschema.Draft202012Validator(schema)
    for path in paths:
        errors = [f"{path}: {'/'.join(map(str, e.absolute_path))}: {e.message}"
                  for e in validator.iter_errors(load(path))]
        assert not errors, "\n".join(errors)
        print(f"ok: {path}")


def check_refused(schema, good, breakages):
    """Each breakage changes one thing in a valid document; all must be refused."""
    validator = jsonschema.Draft202012Validator(schema)
    for name, breakage in breakages.items():
        broken = copy.deepcopy(good)
        breakage(broken)
        assert not validator.is_valid(broken), f"the schema accepts: {name}"
        print(f"refused: {name}")


def entry_breakages(stage):
    def put(key, value):
        return lambda d: d["entries"][0].__setitem__(key, value)

    def drop(key):
        return lambda d: d["entries"][0].pop(key)

    common = {
        "m is 0": put("m", 0),
        "k is text": put("k", "4096"),
        "status of no such word": put("status", "great"),
        "unknown key": put("speed_up", 1.5),
        "config without tile_m": lambda d: d["entries"][0]["config"].pop("tile_m"),
        "variant unfused": lambda d: d["entries"][0]["config"].__setitem__("variant", "unfused"),
        "no stage": drop("stage"),
        "newer schema": lambda d: d.__setitem__("schema", 2),
        "other shape convention": lambda d: d.__setitem__("shape_convention", "global"),
    }
    if stage == "imported":
        return {**common, "imported with bounds": put("speedup_lo", 1.1),
                "win that claims a loss": lambda d: d["entries"][0].update(
                    status="win", claimed_speedup=0.9)}
    return {**common, "no environment": drop("env"), "too few pairs": put("pairs", 9),
            "no lower bound": drop("speedup_lo"), "local time": put("tuned_at", "yesterday")}


def main():
    source = pathlib.Path(sys.argv[1])
    configs = source / "configs"
    schema = load(configs / "schema.json")
    regression = load(configs / "regression" / "schema.json")
    for each in (schema, regression):
        jsonschema.Draft202012Validator.check_schema(each)

    seed = sorted((configs / "ag_mm").rglob("*.json"))
    sample = source / "tests/config/data/ag_mm/cpu_avx2-6.143-t1/f32_nn_m_ws2_shm.json"
    check_valid(schema, seed + [sample])
    check_refused(schema, load(seed[0]), entry_breakages("imported"))
    check_refused(schema, load(sample), entry_breakages("confirmed"))

    sets = [p for p in sorted((configs / "regression").glob("*.json")) if p.name != "schema.json"]
    check_valid(regression, sets)
    check_refused(regression, load(sets[0]), {
        "case without a name": lambda d: d["cases"][0].pop("name"),
        "tier of no such word": lambda d: d["cases"][0].__setitem__("tier", "hero"),
        "speedup 0": lambda d: d["cases"][0].__setitem__("expected_speedup", 0),
    })


main()
