import { describe, expect, it } from 'vitest'
import { importedModules } from '../../../../src-main/features/apps/rules/artifact-pieces.ts'

describe('imported modules', () => {
  it.each([
    ['import numpy', ['numpy']],
    ['import numpy as np, scipy.stats', ['numpy', 'scipy']],
    ['    from PIL.Image import open', ['PIL']],
    ['x = 1; import yaml  # for later, really', ['yaml']],
    ['try: import orjson\nexcept ImportError: import json', ['orjson', 'json']],
    ['importlib.import_module("torch.nn")', ['torch']],
    ["__import__('os')", ['os']],
    ['from . import near\nfrom .near import x', []],
    ['imported = important', []],
    ['', []],
  ])('of %j are %j', (text, modules) => {
    expect(importedModules(text)).toEqual(modules)
  })

  it.each(['import_module(name)', '__import__( f"{x}")', 'importlib.import_module(\n    NAMES[0])'])(
    'are not known where %j decides at run time',
    (text) => {
      expect(importedModules(`import os\n${text}`)).toBeUndefined()
    },
  )
})
