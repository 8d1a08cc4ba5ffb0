import { z } from 'zod'
import { done, GET, POST, type Route } from './routes.ts'

export const SIGN_IN_REQUEST_STATES = ['PENDING', 'APPROVED', 'CONSUMED', 'DENIED', 'EXPIRED'] as const

export type SignInRequestState = (typeof SIGN_IN_REQUEST_STATES)[number]

export const signInRequestView = z.object({
  id: z.string(),
  status: z.enum(SIGN_IN_REQUEST_STATES).describe('CONSUMED: it has been given the account key'),
  expiresAt: z.number().int().describe('wall ms'),
})

export type SignInRequestView = z.infer<typeof signInRequestView>

const signInDecision = z.strictObject({ allow: z.boolean() })

export const SIGN_IN_ROUTES = {
  signInRequestRead: GET('/api/sign-in-requests/:requestId', 'Read the state of the sign-in request of a program', {
    response: signInRequestView,
    errors: ['SIGN_IN_NOT_FOUND'],
  }),
  signInRequestDecide: POST('/api/sign-in-requests/:requestId', 'Allow or refuse a program that asks to be signed in', {
    role: 'admin',
    body: signInDecision,
    response: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'SIGN_IN_NOT_FOUND'],
  }),
} as const satisfies Record<string, Route>
