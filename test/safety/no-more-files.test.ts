import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Runs a program of programs/ with a limit of open files; gives its output. */
function limited(files: number, name: string): unknown {
  const program = fileURLToPath(new URL(`programs/${name}`, import.meta.url))
  const start = `ulimit -n ${files}; exec "$0" "$1"`
  return JSON.parse(execFileSync('sh', ['-c', start, process.execPath, program], { encoding: 'utf8' }))
}

test('a program that cannot be started for want of files ends no service', ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no limit on open files')
  expect(limited(60, 'open-every-file.ts')).toEqual({
    build: 'spawn true EMFILE',
    preview: 'The preview could not be started: spawn true EMFILE.',
  })
})

test('a worker with many processes is measured with few files', ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has /proc')
  const { seen, real } = limited(120, 'measure-many-processes.ts') as { readonly seen: number; readonly real: number }
  expect(seen / real).toBeGreaterThan(0.9)
})
