import { rawFields } from '../../../../lib/json/scan.ts'
import { type JobCall, KEY_VARIABLE, pythonLiteral, type RequestCall, type SampleCall } from './sample-call.ts'

const PUBLIC_CALLS: Readonly<Record<JobCall['operation'], string>> = {
  runsync: 'print(endpoint.run_sync(body, timeout=90))',
  run: 'job = endpoint.run(body)\nprint(job.output(timeout=90))',
  stream: 'for part in endpoint.run(body).stream():\n    print(part)',
}

export function publicPythonSample({ endpointId, url, operation, body }: SampleCall & JobCall): string {
  return `import os

import runpod

runpod.api_key = os.environ["${KEY_VARIABLE}"]
runpod.endpoint_url_base = ${JSON.stringify(url.slice(0, -endpointId.length - 1))}
endpoint = runpod.Endpoint(${JSON.stringify(endpointId)})

body = ${pythonLiteral(body)}
${PUBLIC_CALLS[operation]}`
}

export function svcSample(call: SampleCall): string {
  return `import asyncio
import os
${call.operation === 'request' && call.bodyIs === 'file' ? 'from pathlib import Path\n' : ''}
from svc import Endpoint

os.environ.setdefault("SVC_BASE_URL", ${JSON.stringify(originOf(call.url))})


async def main():
    endpoint = Endpoint(id=${JSON.stringify(call.endpointId)})
${call.operation === 'request' ? requestLines(call) : jobLines(call)}


asyncio.run(main())  # the key is read from ${KEY_VARIABLE}`
}

function jobLines({ operation, body }: JobCall): string {
  const input = pythonLiteral(inputOf(body), 1)
  const call =
    operation === 'runsync'
      ? `    job = await endpoint.runsync(${input}, timeout=90)`
      : `    job = await endpoint.run(${input})\n    await job.wait(timeout=90)`
  return `${call}\n    print(job.output if job.error is None else job.error)`
}

function requestLines({ method, path, headers, body, bodyIs }: Extract<SampleCall, { operation: 'request' }>): string {
  const data = body === undefined ? [] : [BODY_CODES[bodyIs](body)]
  const pairs = headers.map(([name, value]) => `${pythonText(name)}: ${pythonText(value)}`)
  const named = pairs.length === 0 ? [] : [`headers={${pairs.join(', ')}}`]
  const args = [pythonText(path), ...data, ...named].join(', ')
  return `    print(await endpoint.${method.toLowerCase()}(${args}))`
}

function inputOf(body: string): string {
  return rawFields(body, (start, end) => body.slice(start, end))('input') ?? '{}'
}

const pythonText = (text: string) => JSON.stringify(text)
const BODY_CODES: Readonly<Record<RequestCall['bodyIs'], (body: string) => string>> = {
  json: (body) => pythonLiteral(body, 1),
  text: (body) => `${pythonText(body)}.encode()`,
  file: (name) => `Path(${pythonText(name)}).read_bytes()`,
}

const originOf = (url: string) => /^\w+:\/\/[^/]+/.exec(url)?.[0] ?? url
