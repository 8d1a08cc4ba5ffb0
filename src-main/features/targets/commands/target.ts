import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Option } from 'commander'
import { confirmDeletion, readSecret, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { usageError } from '../../../app/cli/cli-error.ts'
import { globalOptions, openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { AppError } from '../../../contract/errors.ts'
import { ago } from '../../../lib/text.ts'
import { isOpenToOthers } from './login.ts'

const KEY = { name: 'key', question: 'Account key of the target:', nothing: 'No target was stored.' }

type AddOptions = { readonly keyFile?: string; readonly keyEnv?: string }

export function addTarget(target: CliCommand, surroundings: Surroundings): void {
  target
    .command('add')
    .description('store the address of another service and its key, encrypted; they replace those of the same name')
    .argument('<name>', 'name for --target')
    .addOption(new Option('--key-file <file>', 'file with the account key').conflicts('keyEnv'))
    .option('--key-env <variable>', 'environment variable with the account key')
    .details(`
The key is read from standard input or a prompt, unless a file or variable is named. It is tried first, kept by this
service, and sent to that address only. --url is the address of the target's control plane, like
RUNPOD_API_BASE_URL for the platform's own tools; it does not choose your own service.

Examples:
  $ drydock target add box --url http://192.168.1.20:8790 < box.key
  $ drydock target add hosted --url https://HOST --key-env RUNPOD_API_KEY
  $ drydock deploy --target box`)
    .action(async (name: string, options: AddOptions, command: CliCommand) => {
      const { url, key: given, ...own } = globalOptions(command)
      if (!url) throw usageError(`Name its address: drydock target add ${name} --url https://HOST`)
      if (given)
        throw usageError('Other users can see keys in arguments. Pass it on standard input, or with --key-file.')
      const { client, output } = await openSession(command, surroundings, own)
      const key = await readKey(options, surroundings)
      const response = await client.call('targetPut', { body: { name, url, key } })
      output.result(response, `target ${name} at ${response.url} stored`)
      if (isOpenToOthers(response.url))
        output.note(`warning: the key and all code go to ${response.url} unencrypted. Use https or a tunnel instead.`)
    })

  target
    .command('list', { isDefault: true })
    .description('list targets; keys are never shown')
    .examples('drydock target list')
    .onSession(async ({ client, output }) => {
      const response = await client.call('targetList')
      output.list(
        response,
        'No targets are stored.',
        ['NAME', 'ADDRESS', 'CHANGED'],
        response.targets.map(({ name, url, updatedAt }) => [name, url, ago(updatedAt, surroundings.now())]),
      )
    })

  target
    .command('remove')
    .description('forget a target and its key; what is deployed there stays')
    .argument('<name>', 'name of the target')
    .option(...YES)
    .examples('drydock target remove box')
    .onSession(async ({ client, output }, name: string, { yes }: { yes?: true }) => {
      const find = async () => {
        const { targets } = await client.call('targetList')
        if (!targets.some((one) => one.name === name)) throw new AppError('TARGET_NOT_FOUND', { target: name })
      }
      const what = `target ${name} and its key`
      await confirmDeletion({ yes, find, what, question: `Remove ${what}?` }, output, surroundings)
      const response = await client.call('targetRemove', { path: { target: name } })
      output.result(response, `target ${name} removed`)
    })
}

async function readKey({ keyFile, keyEnv }: AddOptions, surroundings: Surroundings): Promise<string> {
  const { cwd, env } = surroundings
  if (keyEnv !== undefined) {
    const key = env[keyEnv]?.trim()
    if (!key) throw usageError(`The environment variable ${keyEnv} is not set, or empty.`)
    return key
  }
  if (keyFile === undefined) return (await readSecret(KEY, surroundings)).trim()
  const text = await readFile(resolve(cwd, keyFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${keyFile} cannot be read (${error.code}).`)
  })
  if (text.trim() === '') throw usageError(`${keyFile} is empty. Give a file with the key.`)
  return text.trim()
}
