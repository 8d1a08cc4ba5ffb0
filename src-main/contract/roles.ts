/** Roles of keys: each includes those before it. Source: ours, because a service may have several users. */

/**
 * Ascending. read: everything but values of variables; run: send jobs and requests; deploy: change what runs; admin:
 * keys, settings, credentials.
 */
export const ROLES = ['read', 'run', 'deploy', 'admin'] as const

export type Role = (typeof ROLES)[number]

export function isEnough(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
