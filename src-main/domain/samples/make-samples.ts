import type { SampleCall } from './call.ts'
import { curlSample } from './curl.ts'
import { javascriptSample } from './javascript.ts'
import { publicPythonSample, svcSample } from './python.ts'

/** A call in one language. */
export type Sample = { readonly name: (typeof SAMPLE_NAMES)[number]; readonly code: string }

/** What samples there are. `Python` is the public SDK. */
export const SAMPLE_NAMES = ['curl', 'Python', 'svc', 'JavaScript'] as const

// What the client of svc can ask of a load-balanced endpoint.
const SVC_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Writes a call in each language that has a client for it. The key is in none; all read it from SVC_API_KEY. */
export function makeSamples(call: SampleCall): readonly Sample[] {
  const curl = { name: 'curl', code: curlSample(call) } as const
  const javascript = { name: 'JavaScript', code: javascriptSample(call) } as const
  const svc = { name: 'svc', code: svcSample(call) } as const
  if (call.operation !== 'request') return [curl, { name: 'Python', code: publicPythonSample(call) }, svc, javascript]
  return SVC_METHODS.includes(call.method) ? [curl, svc, javascript] : [curl, javascript]
}
