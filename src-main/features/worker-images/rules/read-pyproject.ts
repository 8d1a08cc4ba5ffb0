/** Reads pyproject.toml of a package of nodes. Source: PEP 621; `[tool.comfy]` of the node registry. */
import { parse } from 'smol-toml'
import { pyproject } from '../../../contract/python-files.ts'

const PLACEHOLDER = /^[<>=!~]+\s*$/
// The registry's tool writes `comfyui-frontend-package` into dependencies; older packages named ComfyUI itself there.
const COMFYUI = /^comfyui\s*([<>=!~].*)$/i

export type Pyproject = {
  readonly name?: string
  readonly version?: string
  readonly dependencies: readonly string[]
  readonly python?: string
  readonly comfyui?: string
  readonly licence?: string
  readonly licenceFile?: string
}

export function readPyproject(text: string): Pyproject | undefined {
  let raw: unknown
  try {
    raw = parse(text)
  } catch {
    return undefined
  }
  const read = pyproject.safeParse(raw)
  if (!read.success || read.data.project === undefined) return undefined
  const { project: own, tool } = read.data
  const licence = typeof own.license === 'string' ? { text: own.license } : own.license
  const needsComfyui = own.dependencies.flatMap((one) => COMFYUI.exec(one.trim())?.[1] ?? [])[0]
  const comfyui = tool?.comfy?.['requires-comfyui'] ?? needsComfyui
  return {
    dependencies: own.dependencies.filter((one) => !COMFYUI.test(one.trim())),
    ...given('name', own.name),
    ...given('version', own.version),
    ...given('python', own['requires-python']),
    ...given('comfyui', comfyui),
    ...given('licence', licence?.text),
    ...given('licenceFile', licence?.file),
  }
}

function given<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  const text = value?.trim()
  return text === undefined || text === '' || PLACEHOLDER.test(text) ? {} : ({ [key]: text } as { [key in K]: string })
}

// Titles and sentences by which the files of common licences are told apart; the first that matches.
const TITLES: readonly (readonly [pattern: RegExp, id: string])[] = [
  [/affero general public license/i, 'AGPL-3.0'],
  [/lesser general public license/i, 'LGPL-3.0'],
  [/gnu general public license[\s\S]{0,80}version 2/i, 'GPL-2.0'],
  [/gnu general public license/i, 'GPL-3.0'],
  [/server side public license/i, 'SSPL-1.0'],
  [/polyform noncommercial/i, 'PolyForm-Noncommercial-1.0.0'],
  [/attribution-noncommercial-sharealike/i, 'CC-BY-NC-SA-4.0'],
  [/attribution-noncommercial-noderivatives/i, 'CC-BY-NC-ND-4.0'],
  [/attribution-noncommercial/i, 'CC-BY-NC-4.0'],
  [/s-lab license/i, 'S-Lab-1.0'],
  [/nvidia source code license/i, 'NVIDIA-Source-Code-License-NC'],
  [/flux[\s\S]{0,40}non-commercial license/i, 'FLUX-Non-Commercial'],
  [/non-?commercial (?:research )?(?:use|purposes?) only|only for non-?commercial/i, 'non-commercial'],
  [/research purposes? only|only for research/i, 'research-only'],
  [/apache license/i, 'Apache-2.0'],
  [/mozilla public license/i, 'MPL-2.0'],
  [/permission is hereby granted, free of charge/i, 'MIT'],
  [/redistribution and use in source and binary forms/i, 'BSD-3-Clause'],
  [/this is free and unencumbered software/i, 'Unlicense'],
]

const TITLE_CHARACTERS = 1500

export function licenceOfText(text: string): string | undefined {
  const head = text.slice(0, TITLE_CHARACTERS)
  return TITLES.find(([pattern]) => pattern.test(head))?.[1]
}
