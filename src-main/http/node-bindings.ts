import type { IncomingMessage, ServerResponse } from 'node:http'

export type NodeBindings = { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse }
