import type { Command } from 'commander'
import { durationText } from '../../lib/text.ts'

/** Names the command's option for the field in a text like `policy.ttl: must be ...`, if one sets it. */
export async function withOption(text: string, command: Command): Promise<string> {
  const [, field = '', why = ''] = /^([A-Za-z][\w.]*): (.*)$/s.exec(text) ?? []
  const flags = field === '' ? undefined : await optionOf(field, command)
  if (flags === undefined) return text
  const [name] = flags.split(' ', 1)
  return `${name}: ${flags.endsWith('<ms>') ? withUnit(inDurations(why)) : inDurations(why)}`
}

async function optionOf(field: string, { options }: Command): Promise<string | undefined> {
  // List positions are no names: `filter.status.0` is the option --status.
  const path = field.replace(/\.\d+/g, '')
  const { SETTING_SECTIONS } = await import('../../features/endpoints/rules/settings/sections.ts')
  const fields = SETTING_SECTIONS.flatMap((section) => section.fields)
  const setting = fields.filter((one) => `${path}.`.startsWith(`${one.path}.`)).at(-1)
  const last = path.split('.').at(-1) ?? path
  const names = [last, last.replace(/(?:Ms|Bytes|Min|Max)$/, '')]
  const found =
    options.find(({ flags }) => flags === setting?.option?.flags) ??
    names.flatMap((name) => options.filter((option) => option.attributeName() === name)).at(0)
  return found?.flags.replace(/^-\w, /, '')
}

const spanOf = (ms: string) => durationText(Number(ms)).replace('.0 ', ' ')

const withUnit = (why: string) =>
  why.replace(
    /\bat (?:least|most) (\d+)/,
    (bound, ms: string) => `${bound} ms, or write ${spanOf(ms).replace(' ', '')}`,
  )

// The unit of the API is not that of an option like `--every 10s`.
const inDurations = (why: string) =>
  why.replace(
    /(?:a whole number of ms (?=from \d+ to \d+))?from (\d+) to (\d+)( ms\b)?/,
    (all, from: string, to: string, unit?: string) =>
      all.startsWith('a') || unit !== undefined ? `from ${spanOf(from)} to ${spanOf(to)}` : all,
  )
