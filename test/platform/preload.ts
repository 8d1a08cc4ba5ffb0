/** Loaded into every program of a run by `node --import`: writes each exchange as a line of JSON. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordExchanges } from './record-exchanges.ts'

const { PLATFORM_WATCH } = process.env
if (PLATFORM_WATCH !== undefined) {
  const file = join(PLATFORM_WATCH, 'exchanges.jsonl')
  recordExchanges((exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`))
}
