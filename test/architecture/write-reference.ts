/** `npm run docs`: writes docs/reference and docs/spec/differences.md from the tables of the product. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CLI_ERRORS, EXIT_CODE_HELP } from '../../src-main/app/cli/cli-error.ts'
import { TOPICS } from '../../src-main/app/cli/commands.ts'
import { buildWholeProgram } from '../../src-main/app/cli/run-cli.ts'
import { processSurroundings } from '../../src-main/app/cli/surroundings.ts'
import { APP_TOPICS } from '../../src-main/contract/app-routes.ts'
import { DIFFERENCES, type Difference } from '../../src-main/contract/differences.ts'
import { endpointConfig } from '../../src-main/contract/endpoint.ts'
import { ERRORS, TITLES } from '../../src-main/contract/errors.ts'
import { LIMIT_TOPICS, STRICT_LIMITS } from '../../src-main/contract/limits.ts'
import { serviceSettings } from '../../src-main/contract/management.ts'
import { METRICS, type MetricRow } from '../../src-main/contract/metric-names.ts'
import { PLATFORM_ROUTES_HERE } from '../../src-main/contract/platform-routes.ts'
import { type Route, roleFor } from '../../src-main/contract/routes.ts'
import { SERVICE_ROUTES } from '../../src-main/contract/service-routes.ts'
import { OPENAI_ROUTE, V2_ROUTES } from '../../src-main/contract/v2-routes.ts'
import { SETTING_SECTIONS } from '../../src-main/features/endpoints/rules/settings/sections.ts'
import {
  NO_VALUE,
  type SettingField,
  settingText,
  valueAt,
} from '../../src-main/features/endpoints/rules/settings/setting.ts'
import { exactSpan } from '../../src-main/lib/text.ts'
import { GIB, KIB, MIB } from '../../src-main/lib/units.ts'
import { SETTING_TEXTS } from '../../src-renderer/features/settings/setting-texts.ts'

export const REFERENCE = join(import.meta.dirname, '..', '..', 'docs', 'reference')

export const DIFFERENCES_PAGE = join(import.meta.dirname, '..', '..', 'docs', 'spec', 'differences.md')

const WRITTEN = '<!-- `npm run docs` writes this page. -->'

/** The pages of docs/reference by file name. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'commands.md': page(
      'Commands',
      '`drydock COMMAND --help` shows the same in a terminal, with examples.',
      commands(await buildWholeProgram(processSurroundings())),
    ),
    'settings.md': page(
      'Settings',
      'Change them on the pages, or with `drydock settings set` (of the service) and `drydock endpoint update` (of an endpoint).',
      settings(),
    ),
    'routes.md': page(
      'Routes',
      `A request needs a key with the [role](../guide/keys-and-safety.md#share-a-service) in its row, or a higher one. The job
API also takes the key of the endpoint. \`/openapi.json\` of a running service describes parameters, bodies and responses.`,
      routes(),
    ),
    'errors.md': page(
      'Errors',
      'Programs check `code`; `error` is the message below with values for `{name}`. [Their form](../spec/job-api.md#8-errors).',
      errors(),
    ),
    'limits.md': page('Limits', 'Limits that you can change are [settings](settings.md).', limits()),
    'metrics.md': page(
      'Metrics',
      `Prometheus reads them from \`/metrics\`: [how to set it up](../guide/monitoring.md#metrics),
[how they are counted](../spec/monitoring.md#1-metrics).`,
      [metrics()],
    ),
  }
}

/** The text of docs/spec/differences.md. */
export function differencesPage(): string {
  const cited = (evidence: string) => evidence.replace(/^docs\/spec\/([\w-]+\.md)/, '[$1]($1)')
  return page(
    'Differences from production',
    'Where Drydock differs from the platform. `drydock doctor --production` and the System page show the same list.',
    Object.entries<readonly Difference[]>(DIFFERENCES).flatMap(([topic, rows]) => [
      `## ${topic}`,
      table(
        ['difference', 'here', 'on the platform', 'evidence', 'setting that removes it'],
        rows.map(({ what, here, there, evidence, setting }) => [
          what,
          here,
          there,
          cited(evidence),
          setting === undefined ? '' : code(setting),
        ]),
      ),
    ]),
  )
}

function commands(program: Command): readonly string[] {
  const help = program.createHelp()
  const optionsOf = (command: Command) =>
    help.visibleOptions(command).flatMap((option) => {
      const row = [code(option.flags), help.optionDescription(option)] as const
      return option.long === '--help' ? [] : [{ flags: option.flags, row, text: row.join() }]
    })
  const listed: { readonly name: string; readonly options: ReturnType<typeof optionsOf> }[] = []
  const describe = (command: Command, path: string): readonly string[] => {
    const name = `${path} ${command.name()}`
    const options = optionsOf(command)
    const missing = (other: typeof options) => other.filter(({ text }) => !options.some((own) => own.text === text))
    // A command with nearly the same options, like `endpoint update` after `endpoint create`.
    const like = listed.find((other) => other.options.length > 10 && missing(other.options).length < 5)
    if (like === undefined) listed.push({ name, options })
    const isRepeated = (text: string) => like?.options.some((other) => other.text === text) ?? false
    const rows = [
      ...help
        .visibleArguments(command)
        .map((argument) => [code(argument.name()), help.argumentDescription(argument)])
        .filter(([, meaning = '']) => !/^(id|name) of the \w+$/.test(meaning)),
      ...options.filter(({ text }) => !isRepeated(text)).map(({ row }) => row),
    ]
    const except = missing(like?.options ?? []).map(({ flags }) => code(flags))
    return [
      `${path === 'drydock' ? '###' : '####'} \`${path} ${help.subcommandTerm(command).replace(' [options]', '')}\``,
      sentence(command.description()),
      rows.length === 0 ? '' : table(['argument or option', 'meaning'], rows),
      like === undefined
        ? ''
        : `It also takes the options of \`${like.name}\`${except.length > 0 ? `, except ${except.join(', ')}` : ''}.`,
      ...command.commands.flatMap((child) => describe(child, name)),
    ]
  }
  return [
    '## Options of all commands',
    table(
      ['option', 'meaning'],
      optionsOf(program).map(({ row }) => row),
    ),
    '## Exit codes',
    table(
      ['exit code', 'meaning'],
      [...EXIT_CODE_HELP.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, exitCode = '', meaning = '']) => [
        exitCode,
        meaning,
      ]),
    ),
    ...Object.entries(TOPICS).flatMap(([topic, rows]) => [
      `## ${topic}`,
      ...program.commands
        .filter((command) => command.name() in rows)
        .flatMap((command) => describe(command, 'drydock')),
    ]),
  ]
}

function settings(): readonly string[] {
  const ofService = serviceSettings.parse({})
  const ofEndpoint = { ...endpointConfig.parse({ name: 'any', loadBalanced: {} }), name: undefined }
  const head = ['setting', 'default', 'meaning']
  return [
    '## Settings of the service',
    table(
      head,
      Object.entries(SETTING_TEXTS).map(([name, { label, help }]) => {
        const value = ofService[name as keyof typeof ofService]
        return [
          code(name),
          typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value),
          `**${label}.** ${help}`,
        ]
      }),
    ),
    '## Settings of an endpoint',
    ...SETTING_SECTIONS.flatMap(({ title, about = '', fields }) => [
      `### ${title}`,
      about,
      table(
        head,
        fields.map((field) => [
          code(field.path),
          defaultText(field, valueAt(ofEndpoint, field.path)),
          `**${field.label}.** ${field.help}${choicesText(field)}`,
        ]),
      ),
    ]),
  ]
}

function defaultText(field: SettingField, value: unknown): string {
  const { path, input, missing } = field
  if (missing !== undefined && value === undefined) return missing
  if (input.kind === 'choice') return code(String(value))
  if (typeof value === 'number' && path.endsWith('Ms')) return inUnit(path, value)
  return settingText(field, value).replace(NO_VALUE, '')
}

function choicesText({ input }: SettingField): string {
  if (input.kind !== 'choice') return ''
  return ` One of ${input.choices.map(({ value, label }) => `${code(value)} (${label})`).join(', ')}.`
}

function routes(): readonly string[] {
  const request = ({ methods, path }: Route) => code(`${methods.join(', ')} ${path}`)
  const group = (title: string, rows: Readonly<Record<string, Route>>) => [
    `## ${title}`,
    table(
      ['request', 'meaning', 'role'],
      Object.values(rows).map((route) => [request(route), route.summary, roleFor(route, route.methods[0] ?? 'GET')]),
    ),
  ]
  return [
    ...group('Job API', { ...V2_ROUTES, OPENAI_ROUTE }),
    ...Object.entries(APP_TOPICS).flatMap(([topic, rows]) => group(topic, rows)),
    ...group("The platform's management API", PLATFORM_ROUTES_HERE),
    '## Other routes',
    table(
      ['request', 'meaning'],
      Object.values<Route>(SERVICE_ROUTES).map((route) => [request(route), route.summary]),
    ),
  ]
}

function errors(): readonly string[] {
  const byStatus = Object.groupBy(Object.entries(ERRORS), ([, { status }]) => status)
  return [
    ...Object.entries(byStatus).flatMap(([status, rows = []]) => [
      `## ${status} ${TITLES[Number(status) as keyof typeof TITLES]}`,
      table(
        ['code', 'message'],
        rows.map(([name, { message }]) => [code(name), message]),
      ),
    ]),
    '## Errors of commands',
    table(
      ['code', 'message', 'exit code'],
      Object.entries(CLI_ERRORS).map(([name, { message, exitCode }]) => [code(name), message, String(exitCode)]),
    ),
  ]
}

function limits(): readonly string[] {
  return [
    ...Object.entries(LIMIT_TOPICS).flatMap(([topic, rows]) => [
      `## ${topic}`,
      table(
        ['limit', 'value'],
        Object.entries(rows).flatMap(([name, [value, meaning]]) =>
          meaning === '' ? [] : [[meaning, inUnit(name, value)]],
        ),
      ),
    ]),
    '## Rate limits',
    'For each endpoint, and only with the setting `strictLimits`. `strictLimitsFleetShare` raises them as more workers run.',
    table(
      ['operation', 'requests in 10 s', 'at once'],
      Object.entries(STRICT_LIMITS).map(([operation, { per10s, atOnce = '' }]) => [
        code(operation),
        per10s.toLocaleString('en'),
        String(atOnce),
      ]),
    ),
  ]
}

function metrics(): string {
  const rows = Object.entries<MetricRow>(METRICS).map(([name, { type, labels = [], help }]) => [
    code(type === 'counter' ? `${name}_total` : name),
    type,
    labels.map(code).join(', '),
    help,
  ])
  return table(['metric', 'type', 'labels', 'meaning'], rows)
}

function page(title: string, about: string, parts: readonly string[]): string {
  const topics = parts.filter((part) => part.startsWith('## ')).map((heading) => heading.slice(3))
  const slug = (topic: string) =>
    topic
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-')
  const links = topics.map((topic) => `[${topic}](#${slug(topic)})`).join(' · ')
  return `${[WRITTEN, `# ${title}`, about, links, ...parts].filter((part) => part !== '').join('\n\n')}\n`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** A value in the unit of its name, exactly. */
function inUnit(name: string, value: number): string {
  if (name.endsWith('Ms')) return exactSpan(value)
  if (!name.endsWith('Bytes')) return value.toLocaleString('en')
  const units = { GiB: GIB, MiB: MIB, KiB: KIB, B: 1 }
  const [unit, bytes] = Object.entries(units).find(([, size]) => value % size === 0) ?? ['B', 1]
  return `${(value / bytes).toLocaleString('en')} ${unit}`
}

if (import.meta.main) {
  mkdirSync(REFERENCE, { recursive: true })
  for (const [name, text] of Object.entries(await referencePages())) writeFileSync(join(REFERENCE, name), text)
  writeFileSync(DIFFERENCES_PAGE, differencesPage())
}
