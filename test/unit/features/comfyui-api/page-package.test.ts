import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { installPage } from '../../../../src-main/features/comfyui-api/adapters/page-package.ts'

/** A folder to install into, and a program `uv` in its place: `script` runs with the target as `$target`. */
function withInstaller(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'uv')
  const lines = ['#!/bin/sh', 'while [ "$1" != --target ]; do shift; done', 'target=$2', script]
  writeFileSync(program, lines.join('\n'))
  chmodSync(program, 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { folder, cache: join(folder, 'data', 'page') }
}

const MAKES_PAGE =
  'mkdir -p "$target/comfyui_frontend_package/static"\necho page > "$target/comfyui_frontend_package/static/index.html"'

it('two commands may install the page at the same time', async () => {
  const { folder, cache } = withInstaller(`mkdir "$(dirname "$0")/began-$$"
while [ "$(ls -d "$(dirname "$0")"/began-* | wc -l)" -lt 2 ]; do sleep 0.01; done
${MAKES_PAGE}`)
  const names: string[] = []
  const install = () => installPage(cache, (name) => void names.push(name))
  const [one, other] = await Promise.all([install(), install()])
  expect(one).toEqual({ folder: join(cache, 'comfyui_frontend_package', 'static') })
  expect(other).toEqual(one)
  expect('folder' in one && readFileSync(join(one.folder, 'index.html'), 'utf8')).toBe('page\n')
  expect(readdirSync(join(folder, 'data'))).toEqual(['page'])
  expect(await install()).toEqual(one)
  expect(names).toHaveLength(2)
})

it('an installation that fails says why, and leaves nothing', async () => {
  const { folder, cache } = withInstaller('echo no network >&2; exit 1')
  expect(await installPage(cache, () => undefined)).toEqual({ why: 'no network' })
  expect(readdirSync(join(folder, 'data'))).toEqual([])
})
