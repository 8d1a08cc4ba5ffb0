/**
 * Builds the wheel without pip, setuptools or a network; keep in sync with `pyproject.toml`. Format: Python packaging's
 * "Binary distribution format", wheel version 1.0.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
// The other entry creates a `require`, which the bundle already has.
import { zipSync } from 'fflate/browser'
import type { PythonWheel } from '../ports/build.ts'

export type WheelSource = {
  readonly folder: string
  readonly packages: readonly string[]
  /** Distribution name without characters that need escaping in a wheel's file name. */
  readonly name: string
  readonly version: string
}

// The earliest time of a zip archive, so that the same sources give the same bytes.
const FIXED_TIME = new Date(1980, 0, 1)
const REQUIRES_PYTHON = '>=3.10'

export async function buildWheel({ folder, packages, name, version }: WheelSource): Promise<PythonWheel> {
  const modules = (await Promise.all(packages.map((start) => modulesOf(folder, start)))).flat().sort()
  const files = await Promise.all(
    modules.map(async (path) => [path, new Uint8Array(await readFile(join(folder, path)))] as const),
  )
  const info = `${name}-${version}.dist-info`
  const readme = await readFile(join(folder, name, 'README.md'), 'utf8')
  const described = [...files, ...textFiles(info, { name, version, packages, readme })]
  const record = `${[...described.map(recordLine), `${info}/RECORD,,`].join('\n')}\n`
  const entries = [...described, [`${info}/RECORD`, utf8(record)] as const]
  const body = zipSync(Object.fromEntries(entries), { mtime: FIXED_TIME, level: 9 })
  return {
    fileName: `${name}-${version}-py3-none-any.whl`,
    name,
    requiresPython: REQUIRES_PYTHON,
    sha256: sha256(body).toString('hex'),
    body,
  }
}

async function modulesOf(folder: string, start: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, start), { withFileTypes: true })
  const nested = entries.map((entry) => {
    const path = `${start}/${entry.name}`
    if (entry.isDirectory()) return entry.name === '__pycache__' ? [] : modulesOf(folder, path)
    return entry.name.endsWith('.py') || entry.name === 'py.typed' ? [path] : []
  })
  return (await Promise.all(nested)).flat()
}

function textFiles(
  info: string,
  { name, version, packages, readme }: Pick<WheelSource, 'name' | 'version' | 'packages'> & { readonly readme: string },
): readonly (readonly [path: string, content: Uint8Array])[] {
  const metadata = [
    'Metadata-Version: 2.4',
    `Name: ${name}`,
    `Version: ${version}`,
    'Summary: Apps of decorated functions, served by Drydock',
    'License-Expression: MIT',
    `Requires-Python: ${REQUIRES_PYTHON}`,
    'Description-Content-Type: text/markdown',
  ]
  const wheel = ['Wheel-Version: 1.0', 'Generator: drydock', 'Root-Is-Purelib: true', 'Tag: py3-none-any']
  return [
    [`${info}/METADATA`, utf8(`${metadata.join('\n')}\n\n${readme}`)],
    [`${info}/WHEEL`, utf8(`${wheel.join('\n')}\n`)],
    [`${info}/top_level.txt`, utf8(`${[...packages].sort().join('\n')}\n`)],
  ]
}

const recordLine = ([path, content]: readonly [string, Uint8Array]): string =>
  `${path},sha256=${sha256(content).toString('base64url')},${content.byteLength}`

const sha256 = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
