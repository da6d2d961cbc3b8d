import { z } from 'zod';

// Compiled validators need `eval`, but the content security policy of the view forbids it. Import this file before any schema.
z.config({ jitless: true });
