import { DONE, type ManagementOperations } from '../../../http/operation.ts'
import type { ServiceBase } from '../../service-context.ts'
import type { SignInRequests } from '../sign-in-requests.ts'

export const SIGN_IN_OPERATIONS = {
  signInRequestRead: ({ path }, { signInRequests }) => signInRequests.read(path.requestId),
  signInRequestDecide({ path, body }, { signInRequests }) {
    signInRequests.decide(path.requestId, body.allow)
    return DONE
  },
} as const satisfies Partial<ManagementOperations<ServiceBase & { readonly signInRequests: SignInRequests }>>
