import type { IncomingMessage } from 'node:http'

// The bytes that Node writes into a status line; its parser lets others in.
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Checks the head of a worker's response before Node writes it: writeHead() throws halfway, and the response then
 * carries neither the answer nor an error.
 * @param lowestStatus 101 after a request for an upgrade, else 200
 * @throws Error with the reason
 */
export function checkHead({ statusCode = 0, statusMessage = '' }: IncomingMessage, lowestStatus: 101 | 200): void {
  if (statusCode < lowestStatus) throw new Error(`its status is ${statusCode}`)
  if (!REASON_PHRASE.test(statusMessage)) throw new Error('its status line contains control characters')
}
