import { APP_ROUTES } from '../../contract/app-routes.ts'
import { PLATFORM_ROUTES } from '../../contract/platform-routes.ts'
import { capitalized } from '../../lib/text.ts'

type Summaries = Readonly<Record<string, { readonly summary: string } | undefined>>

const TABLES: Readonly<Record<string, Summaries | undefined>> = { '': APP_ROUTES, platform: PLATFORM_ROUTES }

/** Like `Delete a schedule`: the first part of the operation's summary, or for GraphQL its name in words. */
export function changeText(operation: string): string {
  const [, way = '', name = ''] = /^(?:(platform|graphql) )?(.*)$/s.exec(operation) ?? []
  const summary = TABLES[way]?.[name]?.summary
  const text = summary?.split(/[;:]/, 1)[0] ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const sentence = capitalized(text)
  return way === '' ? sentence : `${sentence} (${way === 'platform' ? 'platform API' : 'GraphQL'})`
}
