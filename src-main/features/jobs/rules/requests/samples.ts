import { shellQuoted } from '../../../../lib/text.ts'
import { publicPythonSample, svcSample } from './python-samples.ts'
import { type JobCall, javascriptLiteral, KEY_VARIABLE, type RequestCall, type SampleCall } from './sample-call.ts'

export type Sample = { readonly name: (typeof SAMPLE_NAMES)[number]; readonly code: string }

export const SAMPLE_NAMES = ['curl', 'Python', 'svc', 'JavaScript'] as const

const SVC_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function makeSamples(call: SampleCall): readonly Sample[] {
  const curl = { name: 'curl', code: curlSample(call) } as const
  const javascript = { name: 'JavaScript', code: javascriptSample(call) } as const
  const svc = { name: 'svc', code: svcSample(call) } as const
  if (call.operation !== 'request') return [curl, { name: 'Python', code: publicPythonSample(call) }, svc, javascript]
  return SVC_METHODS.includes(call.method) ? [curl, svc, javascript] : [curl, javascript]
}

const AUTHORIZATION = `  -H "Authorization: Bearer $${KEY_VARIABLE}"`
const JSON_HEADER = `  -H 'Content-Type: application/json'`
const NEXT = ' \\\n'

function curlSample(call: SampleCall): string {
  if (call.operation === 'request') {
    const { url, path, method, headers, body, bodyIs } = call
    // curl needs -I for HEAD, or it waits for a body.
    const asked = method === 'HEAD' ? '-I' : `-X ${method}`
    const given = headers.map(([name, value]) => `  -H ${shellQuoted(`${name}: ${value}`)}`)
    const option =
      bodyIs === 'file' ? `--data-binary ${shellQuoted(`@${body}`)}` : `--data-raw ${shellQuoted(body ?? '')}`
    const data = body === undefined ? [] : [`  ${option}`]
    return [`curl -sS ${asked} ${shellQuoted(url + path)}`, AUTHORIZATION, ...given, ...data].join(NEXT)
  }
  return call.operation === 'stream' ? streamSample(call) : submit(call, call.operation)
}

function submit({ url, body }: JobCall & { readonly url: string }, operation: string): string {
  return [`curl -sS -X POST ${url}/${operation}`, AUTHORIZATION, JSON_HEADER, `  --data-raw ${shellQuoted(body)}`].join(
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

const KEY = `\${process.env.${KEY_VARIABLE}}`

function javascriptSample(call: SampleCall): string {
  switch (call.operation) {
    case 'request':
      return requestSample(call)
    case 'runsync':
      return `${head(call.url)}
const answer = await send('POST', 'runsync', ${bodyOf(call.body)})
console.log(answer.output ?? answer)`
    case 'run':
      return `${head(call.url)}
let job = await send('POST', 'run', ${bodyOf(call.body)})
while (job.status.startsWith('IN_')) job = await send('GET', \`status-sync/\${job.id}\`)
console.log(job.output ?? job)`
    case 'stream':
      return `${head(call.url)}
const { id } = await send('POST', 'run', ${bodyOf(call.body)})
let part
do {
  part = await send('GET', \`stream/\${id}?format=object\`)
  for (const { output } of part.stream) console.log(output)
} while (part.status.startsWith('IN_'))`
  }
}

function head(url: string): string {
  return `async function send(method, path, body) {
  const response = await fetch(\`${url}/\${path}\`, {
    method,
    headers: { authorization: \`Bearer ${KEY}\`, 'content-type': 'application/json' },
    body,
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}
`
}

function requestSample({ url, path, method, headers, body, bodyIs }: Extract<SampleCall, { operation: 'request' }>) {
  const pairs = headers.map(([name, value]) => `    [${JSON.stringify(name)}, ${JSON.stringify(value)}],\n`)
  const isFile = body !== undefined && bodyIs === 'file'
  const bodyCode = body === undefined ? '' : `  body: ${BODY_CODES[bodyIs](body)},\n`
  return `${isFile ? `import { readFile } from 'node:fs/promises'\n\n` : ''}const response = await fetch(${JSON.stringify(url + path)}, {
  method: '${method}',
  headers: [
    ['authorization', \`Bearer ${KEY}\`],
${pairs.join('')}  ],
${bodyCode}})
console.log(response.status, await response.text())`
}

const BODY_CODES: Readonly<Record<RequestCall['bodyIs'], (body: string) => string>> = {
  json: bodyOf,
  text: (body) => JSON.stringify(body),
  file: (name) => `await readFile(${JSON.stringify(name)})`,
}

function bodyOf(text: string): string {
  const { code, isText } = javascriptLiteral(text)
  return isText ? code : `JSON.stringify(${code})`
}
