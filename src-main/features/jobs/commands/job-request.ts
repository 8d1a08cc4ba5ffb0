import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readAll } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { usageError } from '../../../app/cli/cli-error.ts'
import { integer, spanIn } from '../../../app/cli/option-values.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { isRecord, parseExact } from '../../../lib/json/plain.ts'

export type RequestOptions = {
  readonly inputFile?: string
  readonly webhook?: string
  readonly ttl?: number
  readonly executionTimeout?: number
  readonly lowPriority?: true
  readonly priority?: number
  readonly idempotencyKey?: string
}

export function addRequestOptions(command: CliCommand): CliCommand {
  return command
    .argument('<endpoint>', 'id of the endpoint')
    .argument('[input]', 'JSON object, or - to read it from standard input (default: {})')
    .option('--input-file <file>', 'read the input from a JSON file')
    .option('--webhook <url>', 'address that is called when the job ends')
    .option('--ttl <ms>', 'time to live of the job in ms, or like 10min', spanIn('ms'))
    .option('--execution-timeout <ms>', 'maximum run time in ms, or like 60s', spanIn('ms'))
    .option('--low-priority', 'run after normal jobs')
    .option('--priority <number>', 'run before jobs with a lower number, -100 to 100 (default 0)', integer)
    .option('--idempotency-key <key>', 'repeating a key returns the original job')
}

/**
 * Wraps a bare input object into `{"input": ...}`; an object with an `input` object is the whole body.
 * @param text JSON, `-` for standard input, or undefined
 * @throws CliError USAGE
 */
export async function buildRequest(
  text: string | undefined,
  options: RequestOptions,
  surroundings: Surroundings,
): Promise<Record<string, unknown>> {
  if (text !== undefined && options.inputFile !== undefined) {
    throw usageError('Give the input as an argument or with --input-file, not both.')
  }
  const request = asRequest(await readInput(text, options.inputFile, surroundings))
  const policy = compact({
    ttl: options.ttl,
    executionTimeout: options.executionTimeout,
    lowPriority: options.lowPriority,
    priority: options.priority,
  })
  return {
    ...request,
    ...compact({ webhook: options.webhook, idempotencyKey: options.idempotencyKey }),
    ...(Object.keys(policy).length === 0
      ? {}
      : { policy: { ...(isRecord(request.policy) ? request.policy : {}), ...policy } }),
  }
}

async function readInput(
  text: string | undefined,
  file: string | undefined,
  surroundings: Surroundings,
): Promise<unknown> {
  if (text === '-' || file === '-') return parse(await readAll(surroundings.stdin), 'Standard input')
  if (text?.startsWith('@'))
    throw usageError(`The input is not valid JSON. To read it from a file, use --input-file ${text.slice(1)}`)
  if (text !== undefined) return parse(text, 'The input')
  if (file === undefined) return {}
  const path = resolve(surroundings.cwd, file)
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`The input file ${path} cannot be read (${error.code}).`)
  })
  return parse(content, path)
}

function parse(text: string, from: string): unknown {
  try {
    return parseExact(text)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw usageError(`${from} is not valid JSON: ${why}. Give a JSON object like '{"name": "Ada"}'.`)
  }
}

function asRequest(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw usageError(`The input is not a JSON object. Give one like '{"name": "Ada"}'.`)
  return isRecord(value.input) ? value : { input: value }
}

function compact(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
