import { confirmDeletion, YES } from '../../app/cli/ask.ts'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { oneOf, wholeNumber } from '../../app/cli/option-values.ts'
import type { Output } from '../../app/cli/output.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import { AppError } from '../../contract/errors.ts'
import type { NamedKeyView } from '../../contract/keys.ts'
import { ROLES, type Role } from '../../contract/roles.ts'
import { ago, durationText } from '../../lib/text.ts'
import { DAY_MS } from '../../lib/units.ts'

export function addKey(key: CliCommand, surroundings: Surroundings): void {
  key
    .command('add')
    .description('create a key; it is printed once and stored only as a hash')
    .argument('<name>', 'name of its user or program: letters, digits, dots, - and _')
    .requiredOption('--role <role>', `what it may do: ${ROLES.join(', ')}`, (text) => oneOf(ROLES, text))
    .option('--days <count>', 'days until it expires (default: it does not expire)', wholeNumber)
    .details(`
Roles, each including the ones above it:
  read     see endpoints, jobs, logs and graphs, and the names of variables
  run      send jobs and requests, cancel and repeat them, run graphs
  deploy   change endpoints, deploy and roll back apps, open shells
  admin    keys, settings, credentials of registries; the same as the account key

Examples:
  $ drydock key add ada --role deploy --days 90
  $ drydock key add dashboard --role read --json`)
    .onSession(async ({ client, output }, name: string, { role, days }: { role: Role; days?: number }) => {
      const endsAt = days === undefined ? {} : { endsAt: surroundings.now() + days * DAY_MS }
      showKey(output, await client.call('namedKeyCreate', { body: { name, role, ...endsAt } }))
    })

  key
    .command('update')
    .description('change the role or the expiry date of a key; this also applies to browsers signed in with it')
    .argument('<name>', 'name of the key')
    .option('--role <role>', `what it may do: ${ROLES.join(', ')}`, (text) => oneOf(ROLES, text))
    .option('--days <count>', 'days from now until it expires; 0: it does not expire', wholeNumber)
    .examples('drydock key update ada --role run', 'drydock key update ada --days 30')
    .onSession(async ({ client, output }, name: string, { role, days }: { role?: Role; days?: number }) => {
      const endsAt = days === 0 ? null : days && surroundings.now() + days * DAY_MS
      const body = { ...(role && { role }), ...(endsAt !== undefined && { endsAt }) }
      const changed = await client.call('namedKeyUpdate', { path: { name }, body })
      if (output.json) return output.document(changed)
      const ends =
        changed.endsAt === undefined ? 'does not expire' : `expires ${endText(changed.endsAt, surroundings.now())}`
      output.line(`key ${name} has the role ${changed.role} and ${ends}`)
    })

  key
    .command('rotate')
    .description('replace a key; the new one is printed once, the old key and its browser sessions stop working')
    .argument('<name>', 'name of the key')
    .option(...YES)
    .examples('drydock key rotate ada')
    .onSession(async ({ client, output }, name: string, { yes }: { yes?: true }) => {
      const what = `key ${name}, which stops working at once`
      const find = () => expectKey(client, name)
      await confirmDeletion({ yes, find, what, question: `Replace ${what}?`, verb: 'replace' }, output, surroundings)
      showKey(output, await client.call('namedKeyRotate', { path: { name } }))
    })

  key
    .command('list', { isDefault: true })
    .description('list keys; a key itself is never shown again')
    .examples('drydock key list')
    .onSession(async ({ client, output }) => {
      const { keys } = await client.call('namedKeyList')
      const now = surroundings.now()
      output.list(
        { keys },
        'No other keys yet. Only the account key exists.',
        ['NAME', 'ROLE', 'MADE', 'EXPIRES', 'LAST USED', 'FROM'],
        keys.map(({ name, role, createdAt, endsAt, lastUsedAt, lastUsedFrom }) => [
          name,
          role,
          ago(createdAt, now),
          endText(endsAt, now),
          lastUsedAt === undefined ? 'never' : ago(lastUsedAt, now),
          lastUsedFrom ?? '',
        ]),
      )
    })

  key
    .command('revoke')
    .description('revoke a key at once, and sign out the browsers that used it')
    .argument('<name>', 'name of the key')
    .option(...YES)
    .examples('drydock key revoke ada')
    .onSession(async ({ client, output }, name: string, { yes }: { yes?: true }) => {
      const what = `key ${name}`
      const find = () => expectKey(client, name)
      await confirmDeletion({ yes, find, what, question: `Revoke ${what}?` }, output, surroundings)
      const response = await client.call('namedKeyRevoke', { path: { name } })
      output.result(response, `key ${name} revoked`)
    })

  key
    .command('audit')
    .description('list who changed what, newest first')
    .option('--by <name>', 'only changes by this key; account is the account key')
    .option('--limit <count>', 'number of entries', wholeNumber)
    .examples('drydock key audit --by ada --limit 20')
    .onSession(async ({ client, output }, { by, limit }: { by?: string; limit?: number }) => {
      const { entries, more } = await client.call('auditList', { query: { key: by, limit } })
      const now = surroundings.now()
      output.list(
        { entries, more },
        'No audit entries.',
        ['WHEN', 'KEY', 'FROM', 'WHAT', 'ABOUT', 'STATUS'],
        entries.map((entry) => [
          ago(entry.at, now),
          entry.key,
          entry.from ?? '',
          entry.what,
          entry.target,
          String(entry.status),
        ]),
      )
      if (more === true && !output.json) output.note('There are older changes: --limit N shows more of them.')
    })
}

function showKey(output: Output, made: NamedKeyView & { readonly key: string }) {
  if (output.json) return output.document(made)
  output.line(made.key)
  output.note(
    `This is the key ${made.name} with the role ${made.role}. It is not shown again; use it with \`drydock login\`.`,
  )
}

function endText(endsAt: number | undefined, now: number): string {
  if (endsAt === undefined) return 'never'
  return endsAt <= now ? `expired ${ago(endsAt, now)}` : `in ${durationText(endsAt - now)}`
}

async function expectKey(client: ServiceClient, name: string): Promise<void> {
  const { keys } = await client.call('namedKeyList')
  if (!keys.some((key) => key.name === name)) throw new AppError('KEY_NOT_FOUND', { name })
}
