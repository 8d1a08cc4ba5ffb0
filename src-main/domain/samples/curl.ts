import { type JobCall, KEY_VARIABLE, type SampleCall } from './call.ts'
import { shellWord } from './literals.ts'

const AUTHORIZATION = `  -H "Authorization: Bearer $${KEY_VARIABLE}"`
const JSON_TYPE = `  -H 'Content-Type: application/json'`
const NEXT = ' \\\n'

/** A call with curl, for a POSIX shell. */
export function curlSample(call: SampleCall): string {
  if (call.operation === 'request') {
    const { url, path, method, headers, body, bodyIs } = call
    // curl sends a HEAD only when it is asked for in its own way; else it waits for a body that does not come.
    const asked = method === 'HEAD' ? '-I' : `-X ${method}`
    const given = headers.map(([name, value]) => `  -H ${shellWord(`${name}: ${value}`)}`)
    const option = bodyIs === 'file' ? `--data-binary ${shellWord(`@${body}`)}` : `--data-raw ${shellWord(body ?? '')}`
    const data = body === undefined ? [] : [`  ${option}`]
    return [`curl -sS ${asked} ${shellWord(url + path)}`, AUTHORIZATION, ...given, ...data].join(NEXT)
  }
  return call.operation === 'stream' ? streamSample(call) : submit(call, call.operation)
}

function submit({ url, body }: JobCall & { readonly url: string }, operation: string): string {
  return [`curl -sS -X POST ${url}/${operation}`, AUTHORIZATION, JSON_TYPE, `  --data-raw ${shellWord(body)}`].join(
    NEXT,
  )
}

function streamSample(call: JobCall & { readonly url: string }): string {
  return `id=$(${submit(call, 'run')} | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')

# Each answer holds what came since the one before.
while part=$(curl -sS "${call.url}/stream/$id?format=object"${NEXT}${AUTHORIZATION}); do
  printf '%s\\n' "$part"
  case $part in '{"status":"IN_'*) ;; *) break ;; esac
done`
}
