/**
 * Compares outputs in a thread, which decodes pictures and walks megabytes of JSON; too much time or memory ends it and
 * yields a problem.
 */
import { isMainThread } from 'node:worker_threads'
import type { ComparisonRules } from '../../../contract/compare.ts'
import { limit } from '../../../contract/limits.ts'
import { isRecord, parseExact } from '../../../lib/json/plain.ts'
import { jsonText } from '../../../lib/json/text.ts'
import { mediaTypeOf } from '../../../lib/media.ts'
import { readPixels } from '../../../lib/node/pixels.ts'
import { answerIn, createThread } from '../../../lib/node/thread.ts'
import { isBase64 } from '../../workflows/rules/runs/find-results.ts'
import type { Comparer, StoredOutput } from '../ports.ts'
import { type ComparedOutput, compareOutputs, type Pixels } from '../rules/outputs.ts'
import { readItems } from '../rules/plan.ts'

type Told =
  | { readonly items: string }
  | { readonly pair: readonly [StoredOutput, StoredOutput]; readonly rules: ComparisonRules }

// Thread memory without pictures, MiB: about ten times the JSON of two maximum outputs.
const MEMORY_MIB = 1024

export function createComparer(): Comparer {
  const { ask, release, stop } = createThread(new URL(import.meta.url), {
    timeMs: limit('comparisonMs'),
    memoryMib: MEMORY_MIB,
  })
  return {
    compare: (pair, rules) => ask({ pair, rules }) as ReturnType<Comparer['compare']>,
    readItems: (text) => ask({ items: text }) as ReturnType<Comparer['readItems']>,
    release,
    stop,
  }
}

function answer(told: Told) {
  if ('items' in told) return readItems(told.items)
  const [a, b] = told.pair
  try {
    return compareOutputs(parsed(a), parsed(b), told.rules, readPicture)
  } catch (error) {
    return { problem: `its output cannot be read: ${(error as Error).message}` }
  }
}

function parsed({ status, error, output, chunks }: StoredOutput): ComparedOutput {
  return {
    status,
    error,
    output: output === undefined ? undefined : parseExact(jsonText(output)),
    stream: chunks.map((chunk) => {
      const value = parseExact(chunk)
      return isRecord(value) ? value.output : value
    }),
  }
}

const LEAST_TEXT = 80

function readPicture(text: string): Pixels | 'unread' | undefined {
  if (text.length < LEAST_TEXT) return undefined
  const data = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  // The first bytes reveal the type, so a long text is not decoded for it.
  const type = mediaTypeOf(Buffer.from(data.slice(0, 64), 'base64'))
  if (!type.startsWith('image/') || type === 'image/svg+xml' || !isBase64(data)) return undefined
  try {
    return readPixels(Buffer.from(data, 'base64'), type) ?? 'unread'
  } catch {
    return 'unread'
  }
}

if (!isMainThread) answerIn(answer)
