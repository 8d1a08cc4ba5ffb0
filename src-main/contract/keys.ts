import { z } from 'zod'
import { limit } from './limits.ts'
import { ROLES } from './roles.ts'
import { DELETE, done, GET, moment, PATCH, POST, type Route, wholeNumber, wholeNumberTo } from './routes.ts'

/** A named key as it is shown, never with the key itself. */
export const namedKeyView = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: moment,
  endsAt: moment.optional().describe('ms since the epoch; missing: it does not end by itself'),
  lastUsedAt: moment.optional().describe('ms since the epoch, to the minute'),
  lastUsedFrom: z.string().optional().describe('address that it was last used from'),
})

export type NamedKeyView = z.infer<typeof namedKeyView>

const namedKeyCreate = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be 1 to 63 letters, digits, dots, - or _'),
  role: z.enum(ROLES),
  endsAt: moment.optional(),
})

export type NamedKeyCreate = z.infer<typeof namedKeyCreate>

const namedKeyUpdate = z.strictObject({
  role: z.enum(ROLES).optional(),
  endsAt: moment.nullable().optional().describe('null: it does not end by itself'),
})

export type NamedKeyUpdate = z.infer<typeof namedKeyUpdate>

export const auditEntry = z.object({
  id: z.number().int(),
  at: moment,
  key: z.string().describe('name of the key; `account` is the account key'),
  from: z.string().optional().describe('address that it came from'),
  operation: z.string().describe('name of the operation, like endpointCreate'),
  target: z.string().describe('what it was about: ids and names of the request'),
  status: z.number().int().describe('HTTP status of the answer'),
})

export type AuditEntry = z.infer<typeof auditEntry>

/** Name of the account key in the audit log; no named key may have it. */
export const ACCOUNT_NAME = 'account'

export const KEY_ROUTES = {
  namedKeyList: GET('/api/keys', 'List named keys; a key itself is shown only when it is created', {
    role: 'admin',
    response: z.object({ keys: z.array(namedKeyView) }),
  }),
  namedKeyCreate: POST('/api/keys', 'Create a key with a role; it is shown only once', {
    role: 'admin',
    body: namedKeyCreate,
    response: namedKeyView.extend({ key: z.string() }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'KEY_EXISTS', 'TOO_MANY_KEYS'],
  }),
  namedKeyUpdate: PATCH(
    '/api/keys/:name',
    'Change the role or the expiry date of a key; this also applies to browsers signed in with it',
    {
      role: 'admin',
      body: namedKeyUpdate,
      response: namedKeyView,
      errors: ['NOT_JSON', 'BAD_FIELD', 'KEY_NOT_FOUND'],
    },
  ),
  namedKeyRotate: POST(
    '/api/keys/:name/rotate',
    'Replace a key; the new one is shown only once, and the old key and its browser sessions stop working',
    { role: 'admin', response: namedKeyView.extend({ key: z.string() }), errors: ['KEY_NOT_FOUND'] },
  ),
  namedKeyRevoke: DELETE(
    '/api/keys/:name',
    'Revoke a key; it stops working at once, and so do the browsers that it signed in',
    { role: 'admin', response: done, errors: ['KEY_NOT_FOUND'] },
  ),
  ownKeyRead: GET('/api/key', 'Read the name and role of the key in use', {
    response: z.object({ name: z.string(), role: z.enum(ROLES) }),
  }),
  auditList: GET('/api/audit', 'List audit entries, newest first: who changed what', {
    role: 'admin',
    query: {
      key: z.string().optional().describe('only those of this key'),
      before: wholeNumber.optional().describe('id of the oldest entry already seen'),
      limit: wholeNumberTo(limit('listPageMax')).optional(),
    },
    response: z.object({
      entries: z.array(auditEntry.extend({ what: z.string().describe('the operation in words') })),
      more: z.literal(true).optional().describe('there are older entries'),
    }),
    errors: ['BAD_FIELD'],
  }),
} as const satisfies Record<string, Route>
