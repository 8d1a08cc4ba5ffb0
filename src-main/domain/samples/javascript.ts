import { KEY_VARIABLE, type RequestCall, type SampleCall } from './call.ts'
import { javascriptLiteral } from './literals.ts'

const KEY = `\${process.env.${KEY_VARIABLE}}`

/** A call with fetch, for Node.js and its like; a module. */
export function javascriptSample(call: SampleCall): string {
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
