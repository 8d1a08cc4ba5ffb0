/** The variables that lead the platform's own tools to a service of ours. */

/** A variable and who reads it. */
type PlatformVariable = { readonly name: string; readonly value: string }

/** The address below whose host load-balanced endpoints are hosts: an IP address has none below it. */
export function endpointHostsUrl(serviceUrl: string): string {
  return serviceUrl.replace(/^http:\/\/127\.0\.0\.1(?=:)/, 'http://localhost')
}

/**
 * The variables for a service.
 * @param url of the service, without a slash at the end
 * @param key account key
 * @param bundle file with the authorities that clients trust, with that of the service; undefined: it is not known
 * @param pythonPath PYTHONPATH that begins with our folder svc_start, by which calls of tasks come here
 * Source: docs/spec/platform.md, 6. The last two groups are those of the public command line and of the public server
 * for agents (3.2 and 4.0).
 */
export function platformVariables(
  url: string,
  key: string,
  { bundle, pythonPath }: { readonly bundle: string | undefined; readonly pythonPath: string },
): readonly PlatformVariable[] {
  return Object.entries({
    RUNPOD_API_BASE_URL: url,
    RUNPOD_ENDPOINT_BASE_URL: `${endpointHostsUrl(url)}/v2`,
    RUNPOD_API_KEY: key,
    RUNPOD_CONSOLE_URL: url,
    RUNPOD_HAPI_URL: url,
    RUNPOD_API_URL: `${url}/graphql`,
    RUNPOD_GRAPHQL_URL: `${url}/graphql`,
    RUNPOD_REST_V2_API_URL: `${url}/v2`,
    RUNPOD_SERVERLESS_API_URL: `${url}/v2`,
    RUNPOD_PUBLIC_GRAPHQL_URL: `${url}/graphql`,
    RUNPOD_AUTHED_GRAPHQL_URL: `${url}/graphql`,
    // The package has the address of tasks fixed.
    PYTHONPATH: pythonPath,
    // Python's; the tools insist on https for load-balanced endpoints.
    ...(bundle === undefined ? {} : { SSL_CERT_FILE: bundle }),
  }).map(([name, value]) => ({ name, value }))
}

/** Shells whose words for setting a variable are known. */
export const SHELLS = ['sh', 'fish', 'powershell'] as const

/** A shell whose words are known. */
export type Shell = (typeof SHELLS)[number]

/** The line that sets a variable in a shell; the value is quoted so that the shell reads none of it. */
export function shellLine(shell: Shell, { name, value }: PlatformVariable): string {
  // PowerShell takes the quotes of print for its own; fish reads backslashes between single quotes.
  if (shell === 'powershell') return `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
  if (shell === 'fish') return `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`
  return `export ${name}='${value.replaceAll("'", "'\\''")}'`
}
