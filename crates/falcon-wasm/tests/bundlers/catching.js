// Prints how the import of the package ends.
import('falconsign').then(
    () => console.log('REPORT "loaded"'),
    ({ name, code, message, cause }) =>
        console.log(`REPORT ${JSON.stringify({ name, code, message, cause: cause?.name })}`),
);
