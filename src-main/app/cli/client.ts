import { createServiceClient, type ServiceAddress, type ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'

export function createClient(service: ServiceAddress): ServiceClient {
  const { url } = service
  return createServiceClient(service, {
    notReachable: (why, cause) =>
      cause instanceof CliError ? cause : new CliError('NOT_REACHABLE', { url, why }, { cause }),
    notDrydock: (status) => new CliError('NOT_DRYDOCK', { url, status }),
    refused: (body) => new CliError('SERVICE_REFUSED', { why: body.error }, { body }),
  })
}
