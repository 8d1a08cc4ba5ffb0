import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { entryFile, registerLinks, removeLinks } from '../../../../src-main/app/cli/link-handler.ts'

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('links are registered once, again for another command, and removed', () => {
  const file = entryFile({ env: {}, home: home() })
  expect(file).toMatch(/\/\.local\/share\/applications\/drydock-clone\.desktop$/)
  const command = ['env', 'DRYDOCK_NODE=/usr/bin/node', '/opt/electron', '/my clone/main.js']
  expect(registerLinks(file, command)).toBe(true)
  expect(registerLinks(file, command)).toBe(false)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('Exec="env" "DRYDOCK_NODE=/usr/bin/node" "/opt/electron" "/my clone/main.js" %u\n')
  expect(text).toContain('MimeType=x-scheme-handler/drydock;\n')
  expect(registerLinks(file, ['/opt/electron'])).toBe(true)
  expect(removeLinks(file)).toBe(true)
  expect(removeLinks(file)).toBe(false)
  expect(existsSync(file)).toBe(false)
})

test('characters with a meaning in the format are quoted', () => {
  const file = join(home(), 'entry')
  registerLinks(file, ['/a $b/50%/"c"'])
  expect(readFileSync(file, 'utf8')).toContain(String.raw`Exec="/a \\$b/50%%/\\"c\\"" %u`)
})

test('the folder of the user for data is asked for first', () => {
  expect(entryFile({ env: { XDG_DATA_HOME: '/data' }, home: '/home/me' })).toBe(
    '/data/applications/drydock-clone.desktop',
  )
})
