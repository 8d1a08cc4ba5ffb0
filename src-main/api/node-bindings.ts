import type { IncomingMessage, ServerResponse } from 'node:http'

/** Objects that the node server adds to a request; missing when the app is called as a function. */
export type NodeBindings = { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse }
