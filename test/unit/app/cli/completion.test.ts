import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setupCli, temporaryFolder } from './support.ts'

/** Words that bash offers for the last of some words. */
function offered(script: string, ...words: string[]): readonly string[] {
  const file = join(temporaryFolder(), 'drydock.bash')
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drydock; printf '%s\\n' "\${COMPREPLY[@]}"`
  writeFileSync(file, `${script}\n${ask}`)
  const { stdout, stderr } = spawnSync('bash', ['--norc', file, 'drydock', ...words], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

test('bash completes commands, options and choices, also after options of the program', async () => {
  const { run } = await setupCli()
  const { exitCode, stdout: script } = await run(['completion', 'bash'])
  expect(exitCode).toBe(0)
  expect(offered(script, 'roll')).toEqual(['rollback'])
  expect(offered(script, '--data', 'there', 'endpoint', 'up')).toEqual(['update'])
  expect(offered(script, 'endpoint', 'create', 'mine', '--hand')).toEqual(['--handler'])
  expect(offered(script, 'deploy', '--runs-on', '')).toEqual(['containers', 'processes'])
  // A file or a name of the user's own, which the shell knows.
  expect(offered(script, 'deploy', '--env', '')).toEqual([])
})

test('zsh and fish get scripts with the same commands', async () => {
  const { run } = await setupCli()
  const zsh = await run(['completion', 'zsh'])
  expect(zsh.stdout).toMatch(/bashcompinit\n_drydock\(\)/)
  const fish = await run(['completion', 'fish'])
  expect(fish.stdout).toContain(`complete -c drydock -n '__drydock_at '\\''endpoint'\\''' -f -a update -d `)
})
