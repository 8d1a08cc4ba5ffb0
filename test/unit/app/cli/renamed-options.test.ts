import { expect, test } from 'vitest'
import { CliCommand } from '../../../../src-main/app/cli/cli-command.ts'
import { wholeNumber } from '../../../../src-main/app/cli/option-values.ts'
import { setupCli, surroundingsOf, temporaryFolder } from './support.ts'

test('a renamed option is accepted under both names, with one parser and one value', () => {
  for (const name of ['-s', '--since', '--from']) {
    const command = new CliCommand('it', surroundingsOf(temporaryFolder()).surroundings)
      .requiredOption('-s, --since <when>', 'since then', wholeNumber)
      .renamedOption('--from', '--since')
    expect(command.parse([name, '7'], { from: 'user' }).opts()).toEqual({ since: 7 })
  }
})

test.each([
  ['compare start', '--file', '--input-file'],
  ['bisect', '--file', '--input-file'],
  ['batch export', '--to', '--output'],
  ['what-if', '--from', '--since'],
  ['what-if', '--to', '--until'],
  ['models folders add', '--from', '--from-file'],
])('%s has no longer an option %s, but %s as other commands', async (command, former, name) => {
  const { run } = await setupCli({})
  const { stdout } = await run([...command.split(' '), '--help'])
  expect(stdout).toContain(` ${name} <`)
  expect(stdout).not.toContain(` ${former} <`)
})
