/**
 * Heads of workers' responses, checked before Node writes them to a client: it throws in the middle of that, and a
 * response is then neither begun nor fit for an error.
 */
import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http'
import { pairsOf } from '../../domain/load-balanced/forward-headers.ts'

const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * @param least the lowest status that can end the request: 101 where the client asked for another protocol
 * @throws Error with what is wrong: the status, the reason phrase or a header
 */
export function checkHead({ statusCode = 0, statusMessage = '', rawHeaders }: IncomingMessage, least: 101 | 200): void {
  if (statusCode < least) throw new Error(`its status is ${statusCode}`)
  if (!REASON_PHRASE.test(statusMessage)) throw new Error('its status line contains control characters')
  for (const [name, value] of pairsOf(rawHeaders)) checkHeader(name, value)
}

/** The trailers of a message that can be forwarded; the others are left out, because the body has been sent by then. */
export function sendableTrailers({ rawTrailers }: IncomingMessage): [name: string, value: string][] {
  return pairsOf(rawTrailers).flatMap(([name, value]): [string, string][] => {
    try {
      checkHeader(name, value)
      return [[name, value]]
    } catch {
      return []
    }
  })
}

function checkHeader(name: string, value: string): void {
  validateHeaderName(name)
  validateHeaderValue(name, value)
}
