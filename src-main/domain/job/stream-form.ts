/**
 * In which form a read of a stream is answered. The specification shows an array; the platform answers with an object, and
 * code that was written for it finds the end of a job in `.status`, which an array does not have, so it never ends. Whoever
 * needs the object is told by what the client is, or by what it did before.
 */

/** `array`: the chunks alone. `object`: `{status, stream: [chunks]}`. */
export type StreamForm = 'array' | 'object'

/** What is known of a client that reads a stream. */
export type StreamReader = {
  /** As the query says. */
  readonly asked: StreamForm | undefined
  /** As the setting of the endpoint says. */
  readonly ofEndpoint: StreamForm | undefined
  /** As the setting of the service says. */
  readonly ofService: StreamForm
  /** Empty for none. */
  readonly userAgent: string
  /** Whether the request names JSON as the type of its body. */
  readonly announcesJson: boolean
  /** Whether the same client, by key and User-Agent, has queued a job on this endpoint. */
  readonly hasRun: boolean
  /** Whether it asks again although its last answer was an array that was empty because the job had ended. */
  readonly asksAfterEnd: boolean
}

type Rule = {
  readonly why: string
  /** The form; undefined where the rule says nothing, and the next one is asked. */
  readonly form: (reader: StreamReader) => StreamForm | undefined
}

/** HTTP libraries that leave their name where the public clients for Python and Go use them. */
const LIBRARIES_OF_CLIENTS = /^(python-requests|Python\/[\d.]+ aiohttp|Go-http-client)\//

/**
 * Names that programs have when they do not give one: `fetch` of browsers and servers, and the usual libraries. Tools in the
 * hand of a person (curl, httpie, Postman) are not among them, since a person reads an array as well.
 */
const LIBRARIES =
  /^(node|undici|Deno\/|Bun\/|Mozilla\/|axios\/|node-fetch|got |python-httpx\/|python-requests\/|Python-urllib\/|python-urllib3\/|Python\/[\d.]+ aiohttp\/|Go-http-client\/|okhttp\/|Java-http-client\/|Apache-HttpClient\/|reqwest|Ruby|Faraday|GuzzleHttp|Dart\/|RestSharp|k6\/)/i

/** Who gets what, and why; the first rule that says something decides. Source: job-api, Operations, and ours. */
const RULES = {
  asked: { why: 'the request says so, with ?format=', form: ({ asked }) => asked },
  endpoint: { why: 'the setting of the endpoint says so', form: ({ ofEndpoint }) => ofEndpoint },
  service: {
    why: 'the setting of the service says so',
    form: ({ ofService }) => (ofService === 'object' ? 'object' : undefined),
  },
  publicClient: {
    why: 'a client of the platform, by its name',
    form: ({ userAgent }) => (/runpod/i.test(userAgent) ? 'object' : undefined),
  },
  publicLibrary: {
    why: 'a client of the platform without a name: it announces JSON and sends none, which few others do',
    form: ({ userAgent, announcesJson }) =>
      LIBRARIES_OF_CLIENTS.test(userAgent) && announcesJson ? 'object' : undefined,
  },
  runsAndPolls: {
    why: 'a program that queued a job here and now reads streams, as code written for the platform does',
    form: ({ userAgent, hasRun }) => (hasRun && isProgram(userAgent) ? 'object' : undefined),
  },
  asksAfterEnd: {
    why: 'it was told the end in the form of an array, and has not understood',
    form: ({ asksAfterEnd }) => (asksAfterEnd ? 'object' : undefined),
  },
  specification: { why: 'the form of the specification', form: () => 'array' },
} as const satisfies Record<string, Rule>

/** Name of a rule. */
export type StreamFormRule = keyof typeof RULES

/** The form for a client, and the rule that decided. */
export function chooseStreamForm(reader: StreamReader): { readonly form: StreamForm; readonly rule: StreamFormRule } {
  for (const [rule, { form }] of Object.entries<Rule>(RULES)) {
    const said = form(reader)
    if (said !== undefined) return { form: said, rule: rule as StreamFormRule }
  }
  return { form: 'array', rule: 'specification' }
}

/** Whether a client is a program by its User-Agent; of others it is not remembered that they queued jobs. */
export function isProgram(userAgent: string): boolean {
  return LIBRARIES.test(userAgent)
}
