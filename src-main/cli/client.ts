import { createServiceClient, type ServiceAddress, type ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'

/** Makes the client of a service with the errors of the command line: NOT_REACHABLE, NOT_DRYDOCK, SERVICE_REFUSED. */
export function createClient(service: ServiceAddress): ServiceClient {
  const { url } = service
  return createServiceClient(service, {
    // A body that is read from a file may fail with an error of ours.
    notReachable: (why, cause) =>
      cause instanceof CliError ? cause : new CliError('NOT_REACHABLE', { url, why }, { cause }),
    notDrydock: (status) => new CliError('NOT_DRYDOCK', { url, status }),
    refused: (body) => new CliError('SERVICE_REFUSED', { why: body.error }, { body }),
  })
}
