import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { setupCli } from './support.ts'

// zsh completes only in a terminal: when a line begins, it completes $ASKED, writes the matches, and exits.
// `compinit -u` asks nothing about the owners of the system's folders.
const ZSHRC = `autoload -Uz compinit; compinit -u
. ./script
compadd() { local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >>offered }
zle-line-init() { BUFFER=$ASKED; CURSOR=$#BUFFER; zle complete-word; exit }
zle -N zle-line-init
`

/** By shell, a program that loads `script`, completes $ASKED, and writes the matches to `offered`, one a line. */
const PROGRAMS = {
  bash: [
    'bash',
    '--norc',
    '-c',
    `. ./script; COMP_WORDS=($ASKED); [[ $ASKED != *' ' ]] || COMP_WORDS+=(''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_drydock; printf '%s\\n' "\${COMPREPLY[@]}" >offered`,
  ],
  zsh: ['python3', '-c', 'import pty; pty.spawn(["zsh", "-i"])'],
  fish: ['fish', '--no-config', '-c', 'source ./script; complete -C "$ASKED" | cut -f 1 >offered'],
} as const

/** Words that a shell offers for the last of some words. */
async function offered(shell: keyof typeof PROGRAMS, ...words: readonly string[]): Promise<readonly string[]> {
  const { folder, run } = await setupCli()
  const { exitCode, stdout } = await run(['completion', shell])
  expect(exitCode).toBe(0)
  writeFileSync(join(folder, 'script'), stdout)
  writeFileSync(join(folder, '.zshrc'), ZSHRC)
  const [program, ...args] = PROGRAMS[shell]
  const env = { ...process.env, TERM: 'xterm', HOME: folder, ZDOTDIR: folder, ASKED: ['drydock', ...words].join(' ') }
  expect(spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  const file = join(folder, 'offered')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  test.for([
    ['commands', ['roll'], ['rollback']],
    ['commands after options of the program', ['--data', 'there', 'endpoint', 'up'], ['update']],
    ['options', ['endpoint', 'create', 'mine', '--hand'], ['--handler']],
    ['choices', ['deploy', '--runs-on', ''], ['containers', 'processes']],
    ['nothing where a name or a file of the user belongs', ['deploy', '--env', 'no-such-'], []],
  ] as const)('completes %s', async ([, words, expected], { skip }) => {
    skip(spawnSync(shell, ['-c', 'true']).error !== undefined, `no ${shell}`)
    expect(await offered(shell, ...words)).toEqual(expected)
  })
})
