import { expect, test } from 'vitest'
import { setupCli } from './support.ts'

test('the help of compare says what versions and inputs are, how to compare, and gives an example', async () => {
  const { run } = await setupCli({})
  const { stdout, exitCode } = await run(['compare', '--help'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^Usage: drydock compare \[options\] <versions\.\.\.> \| <command>\n/)
  for (const said of [
    'Versions are endpoints',
    'Inputs are those of stored jobs',
    '--input-file',
    '--relative',
    'Exit codes:',
    'drydock compare start --help',
    '$ drydock compare old new --endpoint old --since 24h',
  ])
    expect(stdout).toContain(said)
})
