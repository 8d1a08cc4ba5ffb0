/** What a key may do: each role may do what those before it may. Source: ours, because a service may have several users. */

/** Least first. read: see everything but values of variables; run: send jobs and requests; deploy: change what runs; admin: keys, settings, credentials. */
export const ROLES = ['read', 'run', 'deploy', 'admin'] as const

/** What a key may do. */
export type Role = (typeof ROLES)[number]

/** Whether a role is enough where another one is needed. */
export function isEnough(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
