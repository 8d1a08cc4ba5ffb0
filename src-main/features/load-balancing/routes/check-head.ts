import type { IncomingMessage } from 'node:http'

// Bytes that Node can write in a status line; its parser accepts others.
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Validates a worker's response head, as a throw in writeHead() would send the client nothing.
 * @param lowestStatus 101 for an upgrade request, else 200
 * @throws Error with the reason
 */
export function checkHead({ statusCode = 0, statusMessage = '' }: IncomingMessage, lowestStatus: 101 | 200): void {
  if (statusCode < lowestStatus) throw new Error(`its status is ${statusCode}`)
  if (!REASON_PHRASE.test(statusMessage)) throw new Error('its status line contains control characters')
}
