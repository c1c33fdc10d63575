// Who looks at the page. Where the server asks for a key it gives its own page to sign in with, and the
// key comes back as a cookie that scripts cannot read.

import { call, needs } from './api.js';
import { byId } from './dom.js';

/**
 * Who we are: `{role, user}`. What only an operator may do is hidden from a user. A key that is no
 * longer good leads to the page that asks for one. `leaves()` is called before one signs out.
 */
export async function session(leaves) {
  needs.key = () => location.reload();
  const { role, user, key_needed: keyed } = await call('GET', '/api/session');
  document.body.dataset.role = role;
  const out = byId('signout');
  out.hidden = !keyed;
  out.onclick = async () => {
    leaves();
    await call('DELETE', '/api/session');
    location.reload();
  };
  return { role, user };
}
