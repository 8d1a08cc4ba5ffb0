type PlatformVariable = { readonly name: string; readonly value: string }

/** Base address for endpoints with host names; an IP address has no subdomains. */
export function endpointHostsUrl(serviceUrl: string): string {
  return serviceUrl.replace(/^http:\/\/127\.0\.0\.1(?=:)/, 'http://localhost')
}

type ComfyEndpoint = { readonly id: string; readonly hostUrl?: string | undefined }

/** Source: comfy-sdk 0.5.0, which accepts a path; comfy-cli 1.23.0, which reads only the host and the port. */
const comfyVariables = (url: string, { id, hostUrl }: ComfyEndpoint) => ({
  COMFY_BASE_URL: `${url}/comfy/${id}`,
  ...(hostUrl === undefined ? {} : { COMFY_LOCAL_URL: hostUrl }),
})

type Options = {
  /** CA file including the service's; undefined: unknown. */
  readonly bundle: string | undefined
  /** Starts with svc_start, which redirects task calls. */
  readonly pythonPath: string
  readonly comfy?: ComfyEndpoint | undefined
}

/**
 * Source: docs/spec/platform.md, 6; the public command line and agent server (3.2 and 4.0).
 * @param url without a trailing slash
 */
export function platformVariables(
  url: string,
  key: string,
  { bundle, pythonPath, comfy }: Options,
): readonly PlatformVariable[] {
  return Object.entries({
    RUNPOD_API_BASE_URL: url,
    RUNPOD_ENDPOINT_BASE_URL: `${endpointHostsUrl(url)}/v2`,
    RUNPOD_API_KEY: key,
    RUNPOD_CONSOLE_URL: url,
    RUNPOD_HAPI_URL: url,
    RUNPOD_API_URL: `${url}/graphql`,
    RUNPOD_GRAPHQL_URL: `${url}/graphql`,
    RUNPOD_REST_API_URL: `${url}/v1`,
    RUNPOD_REST_V2_API_URL: `${url}/v2`,
    RUNPOD_SERVERLESS_API_URL: `${url}/v2`,
    RUNPOD_PUBLIC_GRAPHQL_URL: `${url}/graphql`,
    RUNPOD_AUTHED_GRAPHQL_URL: `${url}/graphql`,
    PYTHONPATH: pythonPath,
    ...(comfy === undefined ? {} : comfyVariables(url, comfy)),
    // For Python; the tools insist on https for load-balanced endpoints.
    ...(bundle === undefined ? {} : { SSL_CERT_FILE: bundle }),
  }).map(([name, value]) => ({ name, value }))
}

export const SHELLS = ['sh', 'fish', 'powershell'] as const

export type Shell = (typeof SHELLS)[number]

/** Quotes the value so that the shell interprets nothing. */
export function shellLine(shell: Shell, { name, value }: PlatformVariable): string {
  // PowerShell accepts typographic quotes; fish reads backslashes between single quotes.
  if (shell === 'powershell') return `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
  if (shell === 'fish') return `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`
  return `export ${name}='${value.replaceAll("'", "'\\''")}'`
}
