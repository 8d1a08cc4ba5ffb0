import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'

const PYTHON = join(import.meta.dirname, '..', '..', 'resources', 'python')
const ROOT = join(PYTHON, '..', '..')
const WITHOUT_KEY = { key: null }

const read = (path: string) => readFileSync(path, 'utf8')

describe('the package index', () => {
  it('leads without a key from its root over the project to a wheel of the hash in the link', async () => {
    const { request } = await setup()
    expect(await (await request('GET', '/simple/', WITHOUT_KEY)).text()).toContain('<a href="svc/">svc</a>')
    const project = await request('GET', '/simple/svc/', WITHOUT_KEY)
    expect(project.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const [, file, sha256] = /href="([^#"]+)#sha256=([0-9a-f]{64})" data-requires-python="&gt;=3.10"/.exec(
      await project.text(),
    ) ?? ['', '', '']
    expect(file).toBe('svc-0.0.0-py3-none-any.whl')
    const wheel = await request('GET', `/simple/svc/${file}`, WITHOUT_KEY)
    const body = new Uint8Array(await wheel.arrayBuffer())
    expect(createHash('sha256').update(body).digest('hex')).toBe(sha256)
  })

  it('has both packages in the wheel, each file in its record with its size and hash, and none of the others', async () => {
    const { request } = await setup()
    const answer = await request('GET', '/simple/svc/svc-0.0.0-py3-none-any.whl', WITHOUT_KEY)
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
    const names = Object.keys(files)
    expect([...new Set(names.map((name) => name.split('/', 1)[0]))].sort()).toEqual([
      'runpod_flash',
      'svc',
      'svc-0.0.0.dist-info',
    ])
    expect(names.filter((name) => /__pycache__|\.pyc$/.test(name))).toEqual([])
    const [record = '', ...others] = names.filter((name) => name.endsWith('/RECORD'))
    expect(others).toEqual([])
    const lines = names.map((name) => {
      const content = files[name] ?? new Uint8Array()
      if (name === record) return `${name},,`
      return `${name},sha256=${createHash('sha256').update(content).digest('base64url')},${content.byteLength}`
    })
    expect(new TextDecoder().decode(files[record]).trim().split('\n').sort()).toEqual(lines.sort())
    expect(files['svc/__init__.py']).toEqual(new Uint8Array(readFileSync(join(PYTHON, 'svc', '__init__.py'))))
  })

  it('knows no other project, and no other file', async () => {
    const { request } = await setup()
    for (const path of ['/simple/numpy/', '/simple/numpy/svc-0.0.0-py3-none-any.whl', '/simple/svc/other.whl'])
      expect([path, (await request('GET', path, WITHOUT_KEY)).status]).toEqual([path, 404])
  })

  it('is for this machine alone: a foreign host and a foreign page are refused', async () => {
    const { request } = await setup()
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }])
      for (const path of ['/simple/', '/simple/svc/', '/simple/svc/svc-0.0.0-py3-none-any.whl'])
        expect([path, (await request('GET', path, { key: null, headers })).status]).toEqual([path, 403])
  })
})

it('every place that says the version of Drydock says the same', () => {
  const version: string = JSON.parse(read(join(ROOT, 'package.json'))).version
  expect(read(join(PYTHON, 'pyproject.toml'))).toContain(`version = "${version}"`)
  expect(read(join(PYTHON, 'svc', '__init__.py'))).toContain(`__version__ = "${version}"`)
})
