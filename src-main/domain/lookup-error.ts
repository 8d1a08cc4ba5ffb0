import { errorCode } from './error-code.ts'

/** Why the name of a host has no address, for a person; undefined for other errors. Source: nodejs.org, `dns`. */
export function lookupError(error: Error): string | undefined {
  const host = 'hostname' in error ? `the host ${error.hostname}` : 'the host'
  switch (errorCode(error)) {
    case 'ENOTFOUND':
      return `${host} was not found. Check its name and the network connection`
    case 'EAI_AGAIN':
      return `${host} could not be looked up. Check the network connection`
    default:
      return undefined
  }
}
